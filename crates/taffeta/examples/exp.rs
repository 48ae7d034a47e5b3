//! exp
use taffeta::cloth::*; use taffeta::mesh::*; use taffeta::*; use std::time::Instant;
fn main(){
    let a:Vec<String>=std::env::args().collect(); let nx:usize=a[1].parse().unwrap(); let ny:usize=a[2].parse().unwrap(); let dt:f64=a[3].parse().unwrap();
    let env=|k:&str,d:f64| std::env::var(k).map(|s| s.parse().unwrap()).unwrap_or(d);
    let place=|s:f64,t:f64| DVec3::new(0.42*(s-0.5),0.0,0.594*(t-1.0));
    let mesh=match a[4].as_str(){"fwd"=>Mesh::triangle_grid(nx,ny,Diagonal::Forward,place),"bwd"=>Mesh::triangle_grid(nx,ny,Diagonal::Backward,place),"alt"=>Mesh::triangle_grid(nx,ny,Diagonal::Alternating,place),_=>Mesh::grid(nx,ny,place)}.unwrap();
    let scheme=match a[4].as_str(){"nodal"=>Scheme::Nodal,"en"=>Scheme::EdgesNodalShear,_=>Scheme::Edges};
    let cloth=Cloth::new(mesh,RestShape::Mesh,scheme); let model=Model::new(cloth);
    let mut p=Params::default(); p.material.shear_compliance=env("COMP",0.01); p.material.bending=env("KAPPA",0.0); p.material.damping=env("ALPHA",0.5); p.solver.acceleration_tolerance=env("ATOL",0.5); p.solver.strain_tolerance=env("STOL",5e-4);
    if env("BDF",0.0)>0.0 {p.solver.integrator=Integrator::Bdf2;}
    let mut st=State::at_rest(&model); let mut ws=Workspace::new(&model);
    let corners=[nx*(ny-1),nx*ny-1]; let home:Vec<DVec3>=corners.iter().map(|&c| st.positions[c]).collect();
    let n=(3.0/dt).round() as usize; let (mut it,mut fac,mut maxit,mut retr)=(0,0,0,0); let mut strain:f64=0.0; let mut rms:f64=0.0; let mut area:f64=0.0; let mut secs=0.0; let mut res:f64=0.0; let mut hem=vec![];
    for k in 1..=n { let t=k as f64*dt; let s=(t/0.5).min(1.0); let y=0.1*s*s*(3.-2.*s)*(2.*std::f64::consts::PI*t).sin();
        let held:Vec<Held>=(0..2).map(|c| Held{node:corners[c],target:home[c]+DVec3::new(0.,y,0.)}).collect();
        let t0=Instant::now(); let r=match step(&model,&p,&mut st,&Inputs{dt,held:&held,forces:&[]},&mut ws){Ok(r)=>r,Err(e)=>{println!("t={t}: {e}");return;}}; secs+=t0.elapsed().as_secs_f64();
        it+=r.iterations; fac+=r.factorisations; maxit=maxit.max(r.iterations); retr+=r.retries; strain=strain.max(r.max_edge_strain); rms=rms.max(r.rms_edge_strain); area=area.max(r.area_strain.abs()); res=res.max(r.residual);
        if k%(n/6)==0 { let h:DVec3=(0..nx).map(|i| st.positions[i]).sum::<DVec3>()/nx as f64; hem.push(format!("({:.4},{:.4})",h.y,h.z)); }
    }
    println!("{nx}x{ny} dt {dt} {}: it {:.2} fac {:.2} max {maxit} retries {retr} strain {strain:.2e} rms {rms:.2e} res {res:.1e} area {area:.2e} ms/step {:.3} q {:.4}",a[4],it as f64/n as f64,fac as f64/n as f64,secs/n as f64*1e3,secs/3.0);
    println!("   {}",hem.join(" "));
}
